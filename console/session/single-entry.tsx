/**
 * A page that is on its way stands in the address bar before the router shows it. Who clicks again meanwhile, as a double
 * click does, would make a second entry of it, from which Back leads to the same page; browsers make one, and so does this. The
 * router has no open place for a rule about all of its links and calls.
 */
import { type ReactNode, useContext, useMemo } from 'react';
import { createPath, type Navigator, UNSAFE_NavigationContext } from 'react-router-dom';

export function SingleEntry({ children }: { readonly children: ReactNode }) {
  const context = useContext(UNSAFE_NavigationContext);
  const value = useMemo(() => ({ ...context, navigator: withSingleEntry(context.navigator) }), [context]);
  return <UNSAFE_NavigationContext value={value}>{children}</UNSAFE_NavigationContext>;
}

function withSingleEntry(navigator: Navigator): Navigator {
  const push: Navigator['push'] = (to, state, options) => {
    const { pathname, search, hash } = window.location;
    const address = typeof to === 'string' ? to : createPath(to);
    if (address === pathname + search + hash) navigator.replace(to, state, options);
    else navigator.push(to, state, options);
  };
  // Its other members are read from it as they are then: the address among them.
  return Object.create(navigator, { push: { value: push } });
}
