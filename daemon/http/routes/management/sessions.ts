/** Routes of sessions. */
import { contract } from '../../../contract/index.ts';
import type { SessionView } from '../../../contract/sessions.ts';
import type { ListedSession, SessionList } from '../../../domain/session-list.ts';
import { implement, type Route } from '../../implement.ts';

export const sessionRoutes = (sessions: SessionList): Route[] => [
  implement(contract.sessions.list, async ({ actor, input, session }) =>
    (await sessions.list(actor, { userId: input.user_id, sessionId: session.id })).map(presentSession),
  ),
  implement(contract.sessions.end, async ({ actor, input, session }) => {
    const isOwn = await sessions.end(actor, input.session, { userId: input.user_id, sessionId: session.id });
    if (isOwn) session.clear();
  }),
  implement(contract.sessions.endAll, async ({ actor, input, session }) => {
    const which = input.others ? 'others' : 'all';
    const ended = await sessions.endAll(actor, which, { userId: input.user_id, sessionId: session.id });
    const isOwn = input.user_id === undefined || input.user_id === actor.userId;
    if (which === 'all' && isOwn) session.clear();
    return { ended };
  }),
];

function presentSession(session: ListedSession): SessionView {
  return {
    id: session.id,
    current: session.isCurrent,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
  };
}
