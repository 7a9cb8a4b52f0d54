import { postgres } from 'handoff-kit/delivery/postgres';

/** Events and replies are stored in PostgreSQL, which several instances can share. */
export const openDelivery = () =>
  postgres({
    connectionString: process.env.DATABASE_URL ?? '',
    // #if lambda
    // Lambda freezes a function between requests: it only stores events, and the server handles them.
    storeOnly: process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined,
    // #end
  });
