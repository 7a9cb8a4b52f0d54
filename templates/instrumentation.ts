/** Next calls this once, when the server starts. From then on, stored events are handled. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { instance } = await import('./src/instance.js');
  await instance().receiver.start();
}
