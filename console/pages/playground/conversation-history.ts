/** Conversations of the playground in this browser, one IndexedDB database a user (console.md 6.18). */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { KeptConversation } from './kept-conversation.ts';

export const mostConversations = 50;

interface Tables extends DBSchema {
  conversations: { key: string; value: KeptConversation; indexes: { savedAt: number } };
}

export class ConversationHistory {
  readonly #database: Promise<IDBPDatabase<Tables>>;

  constructor(userId: number) {
    this.#database = openDB<Tables>(`playground:${userId}`, 1, {
      upgrade: (database) => {
        database.createObjectStore('conversations', { keyPath: 'id' }).createIndex('savedAt', 'savedAt');
      },
    });
  }

  /** The newest first; what cannot be read is left out. */
  async list(): Promise<readonly KeptConversation[]> {
    const rows = await (await this.#database).getAllFromIndex('conversations', 'savedAt');
    return rows.flatMap((row) => KeptConversation.safeParse(row).data ?? []).toReversed();
  }

  /** Adds or replaces; the oldest beyond the limit go. */
  async save(conversations: readonly KeptConversation[]): Promise<void> {
    const work = (await this.#database).transaction('conversations', 'readwrite');
    for (const conversation of conversations) void work.store.put(conversation);
    let over = (await work.store.count()) - mostConversations;
    for (let cursor = await work.store.index('savedAt').openCursor(); cursor && over > 0; over -= 1) {
      await cursor.delete();
      cursor = await cursor.continue();
    }
    await work.done;
  }

  async remove(id: string): Promise<void> {
    await (await this.#database).delete('conversations', id);
  }

  async removeAll(): Promise<void> {
    await (await this.#database).clear('conversations');
  }
}
