import type { FastifyInstance } from "fastify";

/** Whether a method changes nothing. */
export const reads = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * Returns a function that lists the methods of the resource at a routed path; undefined where there
 * is none.
 */
export const methodsAt = (
  app: FastifyInstance,
): ((path: string) => readonly string[] | undefined) => {
  const routes = new Map<string, Set<string>>();
  app.addHook("onRoute", (route) => {
    const methods = routes.get(route.url) ?? new Set<string>();
    for (const method of [route.method].flat()) methods.add(method);
    methods.add("OPTIONS");
    routes.set(route.url, methods);
  });
  return (path) => {
    const methods = routes.get(path) ?? variableRoute(routes, path);
    return methods === undefined ? undefined : inOrder.filter((method) => methods.has(method));
  };
};

const inOrder = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] as const;

/** The wildcard route, or the one with a single parameter. */
const variableRoute = (
  routes: ReadonlyMap<string, Set<string>>,
  path: string,
): Set<string> | undefined => {
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  for (const [url, methods] of routes) {
    if (url.endsWith("/*") && path.startsWith(url.slice(0, -1))) return methods;
    if (/\/:\w+$/.test(url) && url.startsWith(`${parent}:`) && path !== parent) return methods;
  }
  return undefined;
};
