/** Conversations of the playground in this browser, one IndexedDB database a user (console.md 6.18). */
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
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
    // Who fails first says why; what fails with it says that it was broken off.
    await Promise.all([...conversations.map((conversation) => work.store.put(conversation)), trim(work), work.done]);
  }

  async remove(id: string): Promise<void> {
    await (await this.#database).delete('conversations', id);
  }

  async removeAll(): Promise<void> {
    await (await this.#database).clear('conversations');
  }
}

async function trim(work: IDBPTransaction<Tables, ['conversations'], 'readwrite'>): Promise<void> {
  const store = work.objectStore('conversations');
  let over = (await store.count()) - mostConversations;
  for (let cursor = await store.index('savedAt').openCursor(); cursor && over > 0; over -= 1) {
    await cursor.delete();
    cursor = await cursor.continue();
  }
}

/** The browser has no room left for this site. */
export function isStorageFull(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name === 'QuotaExceededError';
}
