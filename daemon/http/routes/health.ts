/** `/healthz` and `/readyz` (C41): plain text, not logged, not rate-limited. */

export interface HealthDeps {
  /** True once the node serves and until it begins to shut down. */
  readonly isServing: () => boolean;
  /** Rejects while the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** False while the database takes no writes, so that no call can be charged. */
  readonly takesWrites: () => boolean;
}

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly text: string;
}

/** The answer of a health path; undefined for any other path. */
export async function healthAnswer(path: string, deps: HealthDeps): Promise<HealthAnswer | undefined> {
  if (path === '/healthz' || path === '/healthz/') return { status: 200, text: 'ok' };
  if (path !== '/readyz' && path !== '/readyz/') return undefined;
  if (!deps.isServing()) return { status: 503, text: 'not serving' };
  return deps.pingDatabase().then(
    () =>
      deps.takesWrites()
        ? { status: 200 as const, text: 'ready' }
        : { status: 503 as const, text: 'database takes no writes' },
    () => ({ status: 503 as const, text: 'database unavailable' }),
  );
}
