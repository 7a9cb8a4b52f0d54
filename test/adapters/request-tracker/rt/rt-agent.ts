import type { Rt, RtUser } from './start-rt.js';
import { submitForm } from './submit-form.js';

/** An entry in a ticket's history, as agents see it. */
export interface HistoryEntry {
  readonly type: string;
  readonly by: string;
  /** The raw content, HTML or plain text. */
  readonly text: string;
}

/** An agent, who acts through RT's REST interface and web pages. */
export interface RtAgent {
  reply(ticket: string, text: string, contentType?: 'text/plain' | 'text/html'): Promise<void>;
  comment(ticket: string, text: string): Promise<void>;
  setStatus(ticket: string, status: string): Promise<void>;
  /** Replies and sets a status in one request. */
  replyAndSetStatus(ticket: string, text: string, status: string): Promise<void>;
  take(ticket: string): Promise<void>;
  /** The content of the ticket's page: status, subject and history. */
  read(ticket: string): Promise<{ status: string; subject: string; history: HistoryEntry[] }>;
  /** The ids of the tickets after one, in all queues that the agent sees. */
  ticketsAfter(ticket: number): Promise<string[]>;
  /** Submits the form "Reply", as a browser with the rich text editor does. */
  replyInBrowser(ticket: string, html: string, status?: string): Promise<void>;
}

/** Creates an {@link RtAgent} for a user. */
export function rtAgent({ url }: Pick<Rt, 'url'>, user: RtUser): RtAgent {
  const rest = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/REST/2.0${path}`, {
      method,
      headers: { authorization: `token ${user.token}`, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw new Error(`RT answered ${method} ${path} with ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const items = async (path: string) => (await rest('GET', path)).items as Record<string, unknown>[];

  const textOf = async (transaction: unknown): Promise<string> => {
    const parts = await items(`/transaction/${String(transaction)}/attachments?fields=ContentType,Filename`);
    const part = parts.find(
      ({ ContentType, Filename }) => String(ContentType).startsWith('text/') && !Filename,
    );
    if (!part) return '';
    const { Content } = await rest('GET', `/attachment/${String(part.id)}`);
    return Buffer.from(String(Content), 'base64').toString('utf8');
  };

  return {
    async reply(ticket, text, contentType = 'text/plain') {
      await rest('POST', `/ticket/${ticket}/correspond`, { ContentType: contentType, Content: text });
    },
    async comment(ticket, text) {
      await rest('POST', `/ticket/${ticket}/comment`, { ContentType: 'text/plain', Content: text });
    },
    async setStatus(ticket, status) {
      await rest('PUT', `/ticket/${ticket}`, { Status: status });
    },
    async replyAndSetStatus(ticket, text, status) {
      const json = { ContentType: 'text/plain', Content: text, Status: status };
      await rest('POST', `/ticket/${ticket}/correspond`, json);
    },
    async take(ticket) {
      await rest('PUT', `/ticket/${ticket}/take`, {});
    },
    async read(ticket) {
      const { Status, Subject } = await rest('GET', `/ticket/${ticket}`);
      const found = await items(`/ticket/${ticket}/history?fields=Type,Creator&per_page=100`);
      const history: HistoryEntry[] = [];
      for (const { id, Type, Creator } of found) {
        const by = (Creator as { readonly id: string }).id;
        history.push({ type: String(Type), by, text: await textOf(id) });
      }
      return { status: String(Status), subject: String(Subject), history };
    },
    async ticketsAfter(ticket) {
      const found = await items(`/tickets?query=${encodeURIComponent(`id > ${ticket}`)}&per_page=100`);
      return found.map(({ id }) => String(id));
    },
    async replyInBrowser(ticket, html, status = '') {
      await submitForm({ url }, user, '/Ticket/Update.html', {
        id: ticket,
        Status: status,
        UpdateType: 'response',
        UpdateContentType: 'text/html',
        UpdateContent: html,
        SubmitTicket: 'Update Ticket',
      });
    },
  };
}
