import { configError } from '../internal/index.js';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../protocol/index.js';

export interface Route {
  /** The endpoint; `root` for the address of the mount, or the base URL of handoffs, if no endpoint has it. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** Whether it stands for messages and handoffs: the address of the mount, or a base URL that both share. */
  readonly isRoot: boolean;
  /** The path segment in the place of a token. */
  readonly pathToken: string | undefined;
  /** The bot whose path it is; `undefined` where bots share it, and credentials identify them. */
  readonly bot: string | undefined;
}

/** Where the endpoints are, below the mount. */
export interface EndpointPaths {
  /** The message webhook. Default: the mount itself. */
  readonly message?: string;
  /** The base of `/conversation/establish`, `/chat` and `/conversation/close`. Default: the mount itself. */
  readonly handoff?: string;
}

interface RouteOptions {
  readonly basePath: string | undefined;
  readonly paths: EndpointPaths | undefined;
  readonly mounted: readonly WebhookEndpoint[];
  /** Whether the first segment of a path may be a token. */
  readonly hasPathToken: boolean;
  readonly isToken: (segment: string) => boolean;
  /** The bot whose endpoints they are, unless several share them. */
  readonly bot?: string;
}

const ROOT = '/';

/** Finds the endpoint of a request's URL; `null` where there is none. */
export function createRoutes({ basePath, paths, mounted, hasPathToken, isToken, bot }: RouteOptions) {
  const base = normalised(checked('basePath', basePath ?? ROOT));
  const messagePath = normalised(checked('paths.message', paths?.message ?? ROOT)) || ROOT;
  const handoffBase = normalised(checked('paths.handoff', paths?.handoff ?? ROOT));
  const table = new Map<string, Route>();
  const add = (path: string, endpoint: Route['endpoint']): void => {
    const isRoot = path === ROOT || (endpoint === 'message' && path === handoffBase);
    table.set(path, { endpoint, isRoot, pathToken: undefined, bot });
  };
  add(handoffBase || ROOT, 'root');
  add(ROOT, 'root');
  for (const endpoint of mounted) {
    if (endpoint !== 'message') add(`${handoffBase}${HANDOFF_PATHS[endpoint]}`, endpoint);
  }
  if (mounted.includes('message')) {
    const taken = table.get(messagePath)?.endpoint ?? 'root';
    if (taken !== 'root') throw configError(`paths.message is ${messagePath}, the path of ${taken}.`);
    add(messagePath, 'message');
  }

  return (url: string): Route | null => {
    const path = pathBelow(base, url);
    if (path === null) return null;
    const plain = table.get(path);
    if (plain) return plain;
    if (!hasPathToken) return null;
    const cut = path.indexOf('/', 1);
    const pathToken = decoded(cut < 0 ? path.slice(1) : path.slice(1, cut));
    const route = table.get(cut < 0 ? ROOT : path.slice(cut));
    if (!route || pathToken === undefined) return null;
    // A lone segment may be another handler's path, unless it is a known token.
    if (route.isRoot && !isToken(pathToken)) return null;
    return { ...route, pathToken };
  };
}

interface BotRouteOptions extends Pick<RouteOptions, 'basePath' | 'paths'> {
  /** Endpoints that bots with distinct credentials share. */
  readonly shared: EndpointsOf;
  readonly bots: readonly (EndpointsOf & { readonly bot: string })[];
}

export type EndpointsOf = Pick<RouteOptions, 'mounted' | 'hasPathToken' | 'isToken'>;

/** Like {@link createRoutes}, for several bots: below `/<bot>` are the endpoints of one, elsewhere those of all. */
export function createBotRoutes({ basePath = ROOT, paths, shared, bots }: BotRouteOptions) {
  const endpoints = [...Object.values(HANDOFF_PATHS), ...Object.values(paths ?? {})];
  const base = normalised(basePath);
  const routesOfBots = new Map<string, (url: string) => Route | null>();
  for (const each of bots) {
    if (endpoints.some((path) => path.split('/')[1] === each.bot)) {
      throw configError(`a bot cannot be named ${each.bot}: the path of an endpoint begins with it.`);
    }
    routesOfBots.set(each.bot, createRoutes({ ...each, paths, basePath: `${base}/${each.bot}` }));
  }
  const sharedRoutes = createRoutes({ ...shared, basePath, paths });

  return (url: string): Route | null => {
    const segment = pathBelow(base, url)?.split('/', 2)[1] ?? '';
    return (routesOfBots.get(segment) ?? sharedRoutes)(url);
  };
}

/** Proxies may send the whole address as the target of a request. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

function pathBelow(base: string, target: string): string | null {
  const url = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const end = url.indexOf('?');
  const path = normalised(end < 0 ? url : url.slice(0, end));
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (rest === '') return ROOT;
  return rest.startsWith('/') ? rest : null;
}

/** Empty segments make no difference: a base URL that ends in a slash yields `//chat`. */
function normalised(path: string): string {
  const single = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
  return single.endsWith('/') ? single.slice(0, -1) : single;
}

function checked(option: string, path: string): string {
  if (path.startsWith('/') && !/[?#\s]/.test(path)) return path;
  throw configError(`${option} must be a path that begins with "/", without "?" or "#".`);
}

function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
