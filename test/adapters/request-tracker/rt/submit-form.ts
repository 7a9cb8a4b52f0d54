import type { Rt, RtUser } from './start-rt.js';

/** Logs in to RT and submits a form, as a browser does. */
export async function submitForm(
  { url }: Pick<Rt, 'url'>,
  user: Pick<RtUser, 'login' | 'password'>,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const cookie = await logIn(url, user);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    // RT accepts forms from its own pages only.
    headers: { cookie, referer: `${url}${path}` },
    body: form,
    redirect: 'manual',
  });
  await response.arrayBuffer();
  if (response.status !== 302) throw new Error(`RT did not take the form ${path}: ${response.status}`);
}

async function logIn(url: string, { login, password }: Pick<RtUser, 'login' | 'password'>): Promise<string> {
  const response = await fetch(`${url}/NoAuth/Login.html`, {
    method: 'POST',
    body: new URLSearchParams({ user: login, pass: password }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  const page = await response.text();
  if (cookie && page.includes(`"Name":"${login}"`)) return cookie;
  throw new Error(`RT did not log ${login} in: ${response.status}`);
}
