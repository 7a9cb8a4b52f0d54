import type { Shelf } from '../../../delivery/index.js';
import type { Log } from '../../../internal/index.js';
import { type AgentSide, createAgentSide } from './agent.js';
import { type Audit, createAudit } from './audit.js';
import { createRecords, type Records } from './change-record.js';
import { type CustomerSide, createCustomerSide } from './customer.js';
import { createOutbound, type Outbound } from './outbound.js';

/** What is written at the desk: by the customer's side, by agents, and what goes out to the user. */
export interface Book {
  readonly records: Records;
  readonly customer: CustomerSide;
  readonly agents: AgentSide;
  readonly outbound: Outbound;
  readonly audit: Audit;
}

/** Opens the desk's book on a shelf. */
export function openBook(shelf: Shelf, log: Log, isGreeted: boolean): Book {
  const records = createRecords(shelf);
  return {
    records,
    customer: createCustomerSide(records, isGreeted),
    agents: createAgentSide(shelf, records),
    outbound: createOutbound(shelf, records, log),
    audit: createAudit(shelf),
  };
}
export type { Audit };
