import { z } from 'zod';
import {
  type AdapterCall,
  AdapterError,
  createAdapterHttp,
  createAdapterReader,
  createTokenAuthorization,
  refreshTokenForm,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });
const conversation = z.object({
  id: z.coerce.string(),
  question: z.string().nullish(),
  /** Set once it has ended. */
  end_time: z.coerce.string().nullish(),
});
const oneConversation = z.object({ data: conversation });
const conversationList = z.object({ data: z.array(conversation).nullish() });

/** A visitor, and the words that open the conversation. */
export interface NewConversation {
  readonly userId: string;
  readonly name: string;
  readonly question: string;
  /** Instead of the department of the settings. */
  readonly department: string | undefined;
}

/** The requests to Zoho that the adapter makes. */
export type SalesIqApi = ReturnType<typeof createSalesIqApi>;

/** Visitors write through one API, operators list and close through another. */
export function createSalesIqApi(settings: CheckedSettings) {
  const { screenName, appId, departmentId, fetch } = settings;
  const options = { helpdesk: 'Zoho SalesIQ', headers: {}, fetch };
  const accounts = createAdapterHttp({ ...options, baseUrl: settings.accountsUrl });
  const authorization = createTokenAuthorization(
    async (call) => {
      const form = refreshTokenForm(settings);
      const { body } = await accounts({ method: 'POST', path: '/oauth/v2/token', form }, call);
      const token = tokenSchema.safeParse(body);
      if (token.success) return { value: token.data.access_token, expiresInSeconds: token.data.expires_in };
      // Zoho answers 200 with an error in the body.
      throw new AdapterError(
        'auth',
        'Zoho refused the refresh token: it was revoked, or is of another client.',
      );
    },
    (token) => ({ authorization: `Zoho-oauthtoken ${token}` }),
  );
  const http = createAdapterHttp({ ...options, baseUrl: settings.apiUrl, authorization });
  const visitorPath = `/api/visitor/v1/${screenName}/conversations`;
  const operatorPath = `/api/v2/${screenName}/conversations`;

  const read = createAdapterReader(http, 'Check ZOHO_SALESIQ_API_URL.');
  const idPath = (base: string, id: string, below = ''): string =>
    `${base}/${encodeURIComponent(id)}${below}`;

  return {
    async open(
      { userId, name, question, department = departmentId }: NewConversation,
      call: AdapterCall,
    ): Promise<string> {
      // No e-mail address: Zoho merges visitors by it, and it may be one that many users share.
      const visitor = { user_id: userId, name };
      const json = { app_id: appId, department_id: department, question, visitor };
      return (await read(oneConversation, { method: 'POST', path: visitorPath, json }, call)).data.id;
    },

    /** The conversations since a time, in whichever department they are. */
    async since(time: number, limit: number, call: AdapterCall) {
      const query = new URLSearchParams({ app_id: appId, from_time: String(time), limit: String(limit) });
      const path = `${operatorPath}?${query.toString()}`;
      return (await read(conversationList, { method: 'GET', path }, call)).data ?? [];
    },

    async hasEnded(id: string, call: AdapterCall): Promise<boolean> {
      const path = idPath(operatorPath, id);
      return Boolean((await read(oneConversation, { method: 'GET', path }, call)).data.end_time);
    },

    async postMessage(id: string, text: string, call: AdapterCall): Promise<void> {
      await http({ method: 'POST', path: idPath(visitorPath, id, '/messages'), json: { text } }, call);
    },

    async close(id: string, call: AdapterCall): Promise<void> {
      await http({ method: 'PUT', path: idPath(operatorPath, id, '/close') }, call);
    },
  };
}
