import { HEALTHY } from '../../protocol/index.js';
import type { Faults } from '../faults.js';
import type { Endpoints } from '../http/endpoint.js';
import type { Prober } from '../probe.js';

/** The check of an agent's webhooks, and the service's own health (4.3, 4.4). */
export function webhookRoutes({ endpoint, openEndpoint }: Endpoints, prober: Prober, faults: Faults) {
  return {
    checkWebhooks: endpoint('checkWebhooks', async ({ agent }) => ({ results: await prober.check(agent) }), {
      hasBody: false,
    }),
    health: openEndpoint('health', () =>
      faults.take('outOfOrder', 'health')
        ? { status: 503, text: 'service is out of order' }
        : { status: 200, text: HEALTHY },
    ),
  };
}
