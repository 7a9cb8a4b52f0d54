import { errorText, t } from './strings/index.js';
import { applyTheme } from './theme.js';

function findElement<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const element = document.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`${selector} is missing`);
}

const form = findElement('form', HTMLFormElement);
const button = findElement('button', HTMLButtonElement);

applyTheme();
document.title = t('loginTitle');
findElement('h1', HTMLElement).textContent = t('loginTitle');
if (form.id === 'login') showLogin();
else showHostLogin();

/** Agents log in at the host application, so this page has no fields. */
function showHostLogin(): void {
  findElement('p', HTMLElement).textContent = t('errorELSEWHERE');
  button.textContent = t('loginAgain');
  // A reload keeps the hash, which may name a conversation.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    location.reload();
  });
}

function showLogin(): void {
  const alert = findElement('[role=alert]', HTMLElement);
  button.textContent = t('loginSubmit');
  const [nameLabel, passwordLabel, codeLabel] = document.querySelectorAll('label span');
  if (nameLabel) nameLabel.textContent = t('loginName');
  if (passwordLabel) passwordLabel.textContent = t('loginPassword');
  if (codeLabel) codeLabel.textContent = t('loginCode');
  const openIdLink = findElement('#openid', HTMLAnchorElement);
  fetch('login/options')
    .then((response) => response.json())
    .then(({ openId }: { openId: string | null }) => {
      if (openId === null) return;
      openIdLink.textContent = t('loginOpenId', { name: openId });
      openIdLink.hidden = false;
    })
    .catch(console.error);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    logIn()
      .catch(() => t('errorUNREACHABLE'))
      .then((problem) => {
        if (problem === null) location.reload();
        alert.textContent = problem;
        button.disabled = false;
      }, console.error);
  });
}

/** Logs in; resolves to the problem, or `null`. */
async function logIn(): Promise<string | null> {
  const { name, password, code: secondFactor } = Object.fromEntries(new FormData(form));
  const response = await fetch('login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password, code: secondFactor }),
  });
  if (response.ok) return null;
  const { code, message }: { code: string; message: string } = await response.json();
  if (code === 'CODE_NEEDED') {
    const codeField = findElement('#code', HTMLLabelElement);
    codeField.hidden = false;
    codeField.querySelector('input')?.focus();
  }
  if (code === 'WAIT') return t('loginWait', { count: response.headers.get('retry-after') ?? '' });
  return errorText(code) ?? message;
}
