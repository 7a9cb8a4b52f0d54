import { onTestFinished } from 'vitest';
import type { Receiver } from '../../src/public/index.js';
import { createCondition } from '../helpers/deferred.js';
import { type ApplicationOptions, createApplication, type Note } from './application.js';

/** The path below which every host mounts the application. */
export const BASE = '/webhook';

/** A host with the application in it, listening on loopback until the test ends. */
export interface RunningHost {
  readonly port: number;
  /** The application's reports. */
  readonly notes: Notes;
}

/** A way to run the application: a framework, a server or a hosting platform. */
export interface Host {
  start(options: ApplicationOptions): Promise<RunningHost>;
  /** The same with a body reader before the receiver, by its name. */
  readonly parsers?: Readonly<Record<string, Parser>>;
  /** A part of the host's answer to another path. */
  readonly notFound: string;
  /** Whether it sends the answer only when all work has finished. */
  readonly answersLast?: boolean;
}

/** A host that has read the body before the receiver gets the request. */
export interface Parser {
  start(options: ApplicationOptions): Promise<RunningHost>;
  /** Whether the body's bytes are kept; parsed JSON has rounded integers above 2^53. */
  readonly keepsBytes: boolean;
}

/** An application's reports, in order. */
export interface Notes {
  readonly tell: (note: Note) => void;
  /** The events that reached a handler. */
  events(): Extract<Note, { kind: 'event' }>[];
  /** Waits for the first event that passes the test. */
  untilEvent(test: (note: Extract<Note, { kind: 'event' }>) => boolean): Promise<unknown>;
  /** Waits for the first log line with this status. */
  untilRefused(status: number): Promise<unknown>;
}

export function createNotes(): Notes {
  const all: Note[] = [];
  const condition = createCondition();
  const events = () => all.filter((note) => note.kind === 'event');
  return {
    tell(note) {
      all.push(note);
      condition.changed();
    },
    events,
    untilEvent: (test) => condition.until(() => events().find(test)),
    untilRefused: (status) =>
      condition.until(() => all.find((note) => note.kind === 'log' && note.status === status)),
  };
}

/** `basePath` is for hosts that pass the whole path. */
export type Create = (basePath?: string) => Receiver;

/** Serves a receiver and returns the port and a function that stops it. */
export type Mount = (create: Create) => Promise<{ readonly port: number; end(): unknown }>;

/** A host in the test's process. */
export function inProcess(mount: Mount): (options: ApplicationOptions) => Promise<RunningHost> {
  return async (options) => {
    const notes = createNotes();
    const mounted = await mount((basePath) =>
      createApplication({ ...options, ...(basePath && { basePath }) }, notes.tell),
    );
    onTestFinished(async () => {
      await mounted.end();
    });
    return { port: mounted.port, notes };
  };
}

/** A parser in the test's process. */
export const parser = (keepsBytes: boolean, mount: Mount): Parser => ({
  keepsBytes,
  start: inProcess(mount),
});
