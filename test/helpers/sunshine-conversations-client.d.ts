/** Zendesk's client has no types. These are the parts that tests use. */
declare module 'sunshine-conversations-client' {
  /** A generated model: it copies the fields it knows. */
  interface Model {
    constructFromObject(data: object): object;
  }
  interface ConversationsModule {
    ApiClient: {
      instance: {
        basePath: string;
        authentications: Record<'basicAuth', { username?: string; password?: string }>;
      };
    };
    UsersApi: new () => { createUser(appId: string, body: object): Promise<object> };
    ConversationsApi: new () => {
      listConversations(
        appId: string,
        filter: object,
        options: object,
      ): Promise<{ conversations: { id: string }[] }>;
      createConversation(appId: string, body: object): Promise<{ conversation: { id: string } }>;
      getConversation(appId: string, id: string): Promise<object>;
    };
    MessagesApi: new () => {
      listMessages(
        appId: string,
        id: string,
        options: object,
      ): Promise<{ messages: { id: string }[]; meta: { hasMore: boolean; beforeCursor?: string } }>;
      postMessage(appId: string, id: string, body: object): Promise<{ messages: { id: string }[] }>;
    };
    SwitchboardActionsApi: new () => {
      passControl(appId: string, id: string, body: object): Promise<object>;
      releaseControl(appId: string, id: string): Promise<object>;
    };
    UserCreateBody: Model;
    ConversationCreateBody: Model;
    MessagePost: Model;
    PassControlBody: Model;
    ConversationMessageEvent: Model;
    SwitchboardPassControl: Model;
    Author: Model;
    Content: Model;
    ConversationResponse: Model;
    MessagePostResponse: Model;
  }
  const client: ConversationsModule;
  export default client;
}
