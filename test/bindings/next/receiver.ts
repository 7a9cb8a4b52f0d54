import { createApplication, type Note } from './application';

const { APPLICATION = '{}', WITNESS = '' } = process.env;

/** Tells the test what happened, one note after another. */
let told: Promise<unknown> = Promise.resolve();
const tell = (note: Note): void => {
  told = told
    .then(() => fetch(WITNESS, { method: 'POST', body: JSON.stringify(note) }))
    .catch(() => undefined);
};

export const receiver = createApplication({ ...JSON.parse(APPLICATION), basePath: '/webhook' }, tell);
