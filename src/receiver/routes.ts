import { configError } from '../internal/index.js';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../protocol/index.js';

/** The target of a request. */
export interface Route {
  /** The endpoint; `root` for the address of the mount if no endpoint has it. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** Whether it is the address of the mount, which serves messages and handoffs. */
  readonly isRoot: boolean;
  /** The path segment in the place of a token. */
  readonly pathToken: string | undefined;
}

/** The path of each endpoint, below the mount. */
export type EndpointPaths = Readonly<Record<WebhookEndpoint, string>>;

/** Options of {@link createRoutes}. */
export interface RouteOptions {
  readonly basePath: string | undefined;
  readonly paths: Partial<EndpointPaths> | undefined;
  /** The endpoints that are mounted. */
  readonly mounted: readonly WebhookEndpoint[];
  /** Whether the first segment of a path may be a token. */
  readonly tokenInPath: boolean;
  /** Whether a segment is a token. */
  readonly knowsToken: (segment: string) => boolean;
}

const ROOT = '/';

/** Finds the endpoint of a request's URL; `null` where there is none. */
export function createRoutes({ basePath, paths, mounted, tokenInPath, knowsToken }: RouteOptions) {
  const base = trimmed(checked('basePath', basePath ?? ROOT));
  const table = new Map<string, Route>([[ROOT, { endpoint: 'root', isRoot: true, pathToken: undefined }]]);
  for (const endpoint of mounted) {
    const path = trimmed(checked(`paths.${endpoint}`, paths?.[endpoint] ?? defaultPath(endpoint))) || ROOT;
    const taken = table.get(path);
    if (taken && taken.endpoint !== 'root') {
      throw configError(`paths.${endpoint} and paths.${taken.endpoint} are both ${path}.`);
    }
    table.set(path, { endpoint, isRoot: path === ROOT, pathToken: undefined });
  }

  return (url: string): Route | null => {
    const path = pathBelow(base, url);
    if (path === null) return null;
    const plain = table.get(path);
    if (plain) return plain;
    if (!tokenInPath) return null;
    const cut = path.indexOf('/', 1);
    const pathToken = decoded(cut < 0 ? path.slice(1) : path.slice(1, cut));
    const route = table.get(cut < 0 ? ROOT : path.slice(cut));
    if (!route || pathToken === undefined) return null;
    // A lone segment may be another handler's path, unless it is a known token.
    if (route.isRoot && !knowsToken(pathToken)) return null;
    return { ...route, pathToken };
  };
}

function defaultPath(endpoint: WebhookEndpoint): string {
  return endpoint === 'message' ? ROOT : HANDOFF_PATHS[endpoint];
}

function pathBelow(base: string, url: string): string | null {
  const end = url.indexOf('?');
  const path = trimmed(end < 0 ? url : url.slice(0, end));
  if (!path.startsWith(base)) return null;
  const rest = path.slice(base.length);
  if (rest === '') return ROOT;
  return rest.startsWith('/') ? rest : null;
}

/** A trailing slash makes no difference. */
const trimmed = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

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
