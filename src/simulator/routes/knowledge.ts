import { qaAdd, qaUpdate, validate } from '../../protocol/index.js';
import type { Endpoints } from '../http/endpoint.js';
import type { Knowledge } from '../knowledge/documents.js';

/** Adding and updating QA documents (4.1, 4.2). */
export function knowledgeRoutes({ endpoint }: Endpoints, knowledge: Knowledge) {
  return {
    addQa: endpoint('addQa', ({ agent, body }) => knowledge.add(agent.id, validate(qaAdd, body))),
    updateQa: endpoint('updateQa', ({ agent, body }) => knowledge.update(agent.id, validate(qaUpdate, body))),
  };
}
