/** Next calls this once, when the server starts: stored events are handled from here on. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { instance } = await import('./src/instance.js');
  await instance().receiver.start();
}
