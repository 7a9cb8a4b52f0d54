import { inline } from 'handoff-kit';

/** Events are handled while the platform waits for the answer, and nothing is stored. */
export const openDelivery = () => inline();
