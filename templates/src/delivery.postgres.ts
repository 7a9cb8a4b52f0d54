import { postgres } from 'handoff-kit/delivery/postgres';

/** Events and replies are stored in PostgreSQL, which several instances can share. */
export const openDelivery = () => postgres({ connectionString: process.env.DATABASE_URL ?? '' });
