import { inline } from 'handoff-kit';

/** Nothing is stored: the platform waits for its answer while an event is handled. */
export const openDelivery = () => inline();
