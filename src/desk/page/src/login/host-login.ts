import { t } from '../strings/index.js';
import { findElement } from './find-element.js';

// Agents log in at the host application, so this page has no form for it.
document.title = t('loginTitle');
findElement('h1', HTMLElement).textContent = t('loginTitle');
findElement('p', HTMLElement).textContent = t('errorELSEWHERE');
findElement('button', HTMLButtonElement).textContent = t('loginAgain');

// A reload keeps the hash, which may name a conversation.
findElement('form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  location.reload();
});
