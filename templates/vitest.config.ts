import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{{language}}'],
    // #if helpdesk
    env: {
      // #if slack
      SLACK_BOT_TOKEN: 'xoxb-test',
      SLACK_SIGNING_SECRET: 'secret-of-the-tests',
      SLACK_CHANNEL: 'C0123456789',
      SLACK_API_URL: 'http://127.0.0.1:9',
      // #end
      // #if chatwoot
      CHATWOOT_URL: 'http://127.0.0.1:9',
      CHATWOOT_INBOX: 'inboxOfTheTests',
      CHATWOOT_WEBHOOK_SECRET: 'secret-of-the-tests',
      // #end
    },
    // #end
  },
});
