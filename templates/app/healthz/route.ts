export const GET = () => Response.json({ status: 'alive' });
