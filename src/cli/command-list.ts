import type { Command } from 'commander';

/** A command as help lists it. What it takes and what it does is loaded once it is named. */
export interface ListedCommand {
  readonly name: string;
  /** What the list shows behind the name. */
  readonly takes?: string;
  /** Half a sentence on what it is for. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** A module that knows a command. */
export interface CommandModule {
  /** Tells a command, which has its name and summary, what it takes and what it does. */
  readonly define: (command: Command) => void;
}

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'demo',
    takes: '[options]',
    summary: 'see a whole handoff on this machine, without settings',
    load: () => import('./commands/demo.js'),
  },
  {
    name: 'serve',
    takes: '[options]',
    summary: 'receive webhooks and print each event',
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'inbox',
    summary: 'look after events that are stored and not handled',
    load: () => import('./commands/inbox.js'),
  },
  {
    name: 'outbox',
    summary: 'look after replies that are stored and not sent',
    load: () => import('./commands/outbox.js'),
  },
  {
    name: 'forget',
    takes: '[options]',
    summary: "remove a person's data from inbox, outbox and dead letters",
    load: () => import('./commands/forget.js'),
  },
  {
    name: 'adapter',
    summary: 'look after the connection to a human-service system',
    load: () => import('./commands/adapter.js'),
  },
  {
    name: 'desk',
    summary: 'who may work at the desk, and what was done there',
    load: () => import('./commands/desk.js'),
  },
  {
    name: 'simulate',
    takes: '[options]',
    summary: 'play the service for a receiver of yours',
    load: () => import('./commands/simulate.js'),
  },
  {
    name: 'send',
    summary: 'send one delivery to any receiver and judge its answer',
    load: () => import('./commands/send.js'),
  },
  {
    name: 'doctor',
    takes: '[options]',
    summary: 'examine a receiver of any make that is running anywhere',
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'check',
    takes: '[options]',
    summary: "make the service test the agent's webhooks",
    load: () => import('./commands/check.js'),
  },
  {
    name: 'health',
    takes: '[options]',
    summary: 'ask whether the service works',
    load: () => import('./commands/health.js'),
  },
  {
    name: 'reply',
    takes: '[options] <text>',
    summary: 'say something to a user during a handoff',
    load: () => import('./commands/reply.js'),
  },
  {
    name: 'close',
    takes: '[options]',
    summary: 'end a handoff',
    load: () => import('./commands/close.js'),
  },
  {
    name: 'qa',
    summary: 'add and update what the agent knows',
    load: () => import('./commands/qa.js'),
  },
];
