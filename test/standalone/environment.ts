import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';

/** Environment variables with which the program starts. */
export const ENVIRONMENT = {
  PORT: '0',
  HOST: '127.0.0.1',
  WEBHOOK_USERNAME: USERNAME,
  WEBHOOK_SECRET: SECRET,
  HANDOFF_TOKEN: PATH_TOKEN,
} as const;
