import { createApplication, type Note } from './application';

const { APPLICATION = '{}', WITNESS = '' } = process.env;

/** Reports to the test, in order. */
let told: Promise<unknown> = Promise.resolve();
const tell = (note: Note): void => {
  told = told
    .then(() => fetch(WITNESS, { method: 'POST', body: JSON.stringify(note) }))
    .catch(() => undefined);
};

export const receiver = createApplication({ ...JSON.parse(APPLICATION), basePath: '/webhook' }, tell);
