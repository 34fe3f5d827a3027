/** From an address to its page: who may see it, where others are sent (console.md 4.2, 4.3). */
import { type ComponentType, lazy, type ReactElement, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation, useParams } from 'react-router-dom';
import { loaderOf, mayOpen, notFound, type PageEntry, pages } from './pages.tsx';
import { hasLeft } from './session/leaving.ts';
import { loginAddress } from './session/return-to.ts';
import { isExpiredStore, useUser } from './session/session.ts';
import { isStatusFresh, useStatus } from './session/status.ts';
import { useStore } from './session/store.ts';
import { Frame } from './shell/frame.tsx';
import { NoPermission } from './shell/no-permission.tsx';
import { PageBoundary } from './shell/page-boundary.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';

/** By module: an editor's address shows the page of its list, which stays mounted from one to the other. */
const bodies = new Map<string, ComponentType>();

function bodyOf(entry: PageEntry): ComponentType | undefined {
  const load = loaderOf(entry);
  if (!load) return undefined;
  const Body = bodies.get(entry.module) ?? lazy(() => load().then(({ Page }) => ({ default: Page })));
  bodies.set(entry.module, Body);
  return Body;
}

function elementOf(entry: PageEntry): ReactElement | undefined {
  const Body = bodyOf(entry);
  if (!Body) return undefined;
  return (
    <Guarded entry={entry}>
      <Body />
    </Guarded>
  );
}

// Once for the whole visit: a new lazy component at each rendering would load and mount its page anew.
const routes = [...pages, notFound].flatMap((entry) => {
  const element = elementOf(entry);
  return element ? [{ entry, element }] : [];
});

/** What the address of an editor may name. */
const isRowId = (text = '') => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));

/** Ways in, and what a mail or a provider leads to: whoever is here need not be sent to the sign-in page. */
const waysIn = new Set(['/login', '/register', '/reset', '/user/reset', '/oauth/:provider', '/setup']);

function Guarded({ entry, children }: { entry: PageEntry; children: ReactElement }) {
  const user = useUser();
  const isExpired = useStore(isExpiredStore);
  const isLeaving = useStore(hasLeft);
  const { id } = useParams();
  const isWayIn = waysIn.has(entry.path);
  // It is told by the sign-in page, and once: public pages are then open to whoever does not sign in again.
  useEffect(() => {
    if (isWayIn) isExpiredStore.set(false);
  }, [isWayIn]);
  const isSentAway = entry.access !== 'public' || (isExpired && !isWayIn);
  if (isSentAway && user === undefined) {
    return <Navigate replace to={isLeaving ? '/login' : loginAddress(isExpired)} />;
  }
  // An ordinary user who comes back from binding an account is sent on to where bindings are.
  if (entry.path === '/setting' && !mayOpen(entry, user)) return <Navigate replace to="/personal?tab=bindings" />;
  if (entry.path.endsWith('/edit/:id') && !isRowId(id)) return elementOf(notFound);
  return (
    <Frame entry={entry}>
      {mayOpen(entry, user) ? (
        <PageBoundary key={entry.module}>
          <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
        </PageBoundary>
      ) : (
        <NoPermission />
      )}
    </Frame>
  );
}

export function Routing() {
  const status = useStatus();
  const isFresh = useStore(isStatusFresh);
  const { pathname } = useLocation();
  if (isFresh && status?.setup === false && pathname !== '/setup') return <Navigate replace to="/setup" />;
  if (isFresh && status?.setup === true && pathname === '/setup') return <Navigate replace to="/" />;
  return (
    <Routes>
      {routes.map(({ entry, element }) => (
        <Route key={entry.path} path={entry.path} element={element} />
      ))}
    </Routes>
  );
}
