import { findElement } from './find-element.js';
import { t } from './strings/index.js';

// Where the host application has the login, the desk has no form for it: it says where to go.
document.title = t('loginTitle');
findElement('h1', HTMLElement).textContent = t('loginTitle');
findElement('p', HTMLElement).textContent = t('refusedELSEWHERE');
findElement('button', HTMLButtonElement).textContent = t('loginAgain');

// Loaded anew rather than gone to: the address may name a conversation.
findElement('form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  location.reload();
});
