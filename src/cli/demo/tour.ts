/** What is said in the demo, whoever plays it: a person, the page or the script. */
export const TOUR = {
  /** The customer asks the bot this before anything else. */
  question: 'How long does delivery take?',
  /** The first answer of the agent. */
  hello: 'Hello! What can I do for you?',
  /** The customer's message to the agent. */
  complaint: 'My parcel is late. Where is it?',
  /** The agent's answer to it. */
  answer: 'It is in Lyon, and arrives tomorrow.',
};
