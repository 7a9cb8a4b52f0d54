import { sqlite } from 'handoff-kit/delivery/sqlite';

/** Events and replies are stored in a file, so that no event answered 200 is lost. */
export const openDelivery = () =>
  sqlite({ file: (process.env.DATABASE_URL ?? 'sqlite:./handoff.db').replace(/^sqlite:/, '') });
