import { asObject, asText, createAgentNames } from '../../bridge/index.js';
import type { SlackApi } from './web-api.js';

/** Creates `agentName`: events contain ids of users only. Without the scope `users:read`, agents have no name. */
export const createAgentName = (api: SlackApi) =>
  createAgentNames('slack', async (user, { signal }) => {
    const found = asObject((await api.read('users.info', { user }, { signal })).user);
    const names = [asObject(found.profile).display_name, found.real_name, found.name];
    return names.map((name) => asText(name).trim()).find((name) => name !== '') ?? null;
  });
