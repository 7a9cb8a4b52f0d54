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

/** A text or a number, never what `String` makes of anything else. */
export const valueSchema = z.union([z.string(), z.number()]).transform(String);
export const idSchema = valueSchema.refine((id) => id !== '');

/** Some data centers give `expires_in` in milliseconds, and then the seconds as well. */
const tokenSchema = z.object({
  access_token: z.string(),
  expires_in: z.number(),
  expires_in_sec: z.number().nullish(),
});
const conversation = z.object({
  id: idSchema,
  question: z.string().nullish(),
  /** Set once it has ended. */
  end_time: valueSchema.nullish(),
});
const oneConversation = z.object({ data: conversation });
/** A message of the transcript. Only its text is documented, and not which other types there are. */
const transcriptMessage = z.object({
  id: idSchema,
  sequence_id: z.coerce.number().nullish(),
  time: z.coerce.number(),
  sender: z.object({ id: valueSchema.nullish(), name: z.string().nullish() }).nullish(),
  message: z.object({ text: z.string().nullish() }).nullish().catch(null),
});
export type TranscriptMessage = z.output<typeof transcriptMessage>;
const transcript = z.object({ data: z.array(transcriptMessage).nullish() });
const conversationList = z.object({ data: z.array(conversation).nullish() });

/** As many messages of the transcript at once as Zoho returns by default, and at most 5,000 in all. */
const PAGE = 20;
const MAX_PAGES = 250;

/** A visitor, and the words that open the conversation. */
export interface NewConversation {
  readonly userId: string;
  readonly name: string;
  readonly question: string;
  /** Instead of the department of the settings. */
  readonly department: string | undefined;
}

/** How far Zoho's clock may be from ours. */
export const CLOCK_SKEW_MS = 300_000;

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
      if (token.success) {
        const { access_token: value, expires_in, expires_in_sec } = token.data;
        return { value, expiresInSeconds: expires_in_sec ?? expires_in };
      }
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

    /** When it ended; `null` while it is open. */
    async endTime(id: string, call: AdapterCall): Promise<string | null> {
      const path = idPath(operatorPath, id);
      return (await read(oneConversation, { method: 'GET', path }, call)).data.end_time || null;
    },

    /** The messages since a time, the oldest first. With `to_time` alone, Zoho returns the newest first. */
    async messagesSince(id: string, since: number, call: AdapterCall): Promise<TranscriptMessage[]> {
      const found = new Map<string, TranscriptMessage>();
      let to = Date.now() + CLOCK_SKEW_MS;
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const query = new URLSearchParams({ to_time: String(to), limit: String(PAGE) });
        const path = idPath(operatorPath, id, `/messages?${query.toString()}`);
        const messages = (await read(transcript, { method: 'GET', path }, call)).data ?? [];
        const known = found.size;
        for (const message of messages) found.set(message.id, message);
        to = Math.min(to, ...messages.map(({ time }) => time));
        // A page may begin with the last message of the one before.
        if (found.size === known || to < since) break;
      }
      return [...found.values()]
        .filter(({ time }) => time >= since)
        .toSorted((one, other) => one.time - other.time || (one.sequence_id ?? 0) - (other.sequence_id ?? 0));
    },

    async postMessage(id: string, text: string, call: AdapterCall): Promise<void> {
      await http({ method: 'POST', path: idPath(visitorPath, id, '/messages'), json: { text } }, call);
    },

    /** Adds a note, which visitors do not see. */
    async addNote(id: string, notes: string, call: AdapterCall): Promise<void> {
      await http({ method: 'POST', path: idPath(operatorPath, id, '/notes'), json: { notes } }, call);
    },

    async close(id: string, call: AdapterCall): Promise<void> {
      await http({ method: 'PUT', path: idPath(operatorPath, id, '/close') }, call);
    },
  };
}
