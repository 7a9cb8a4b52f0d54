/** The lines of the changelog: what the changesets say, without the hashes of their commits. */
const indent = (text) => text.trim().replaceAll(/\n(?!\n)/g, '\n  ');

module.exports = {
  getReleaseLine: async ({ summary }) => `- ${indent(summary)}`,
  getDependencyReleaseLine: async () => '',
};
