/** Has Stryker leave out what is logged. Tests look at the lines that matter, not at each. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'logs',
    value: {
      /** @param {{ node: { callee?: { property?: { name?: string } } } }} path */
      shouldIgnore({ node }) {
        const isLog = /^(debug|info|warn|error)$/.test(node.callee?.property?.name ?? '');
        return isLog ? 'what is logged' : undefined;
      },
    },
  },
];
