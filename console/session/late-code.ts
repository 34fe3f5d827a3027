/**
 * Code that is loaded when it is first wanted. Outside every page what fails takes the whole console with it, and all
 * that was typed: it waits for the server instead. A part within a page says that it is missing
 * (`components/late-part.tsx`).
 */
import { lazy } from 'react';
import { unsavedQuestion } from './unsaved-work.ts';

const reloadKey = 'reloaded-for-code';
const againMs = 3000;

/** Without it a reload would leave nothing of the console. */
export async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/logo.svg', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

export function reloadOnce(): boolean {
  try {
    const last = Number(sessionStorage.getItem(reloadKey) ?? 0);
    if (Date.now() - last < 60_000) return false;
    sessionStorage.setItem(reloadKey, String(Date.now()));
  } catch {
    return false;
  }
  window.location.reload();
  return true;
}

/** The bundler asks for each sheet once. */
function askForStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  }
}

/** Rejects for code of an older build, which is gone. */
export async function loadLate<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, againMs));
    askForStylesAgain();
    return load();
  }
}

/** Of code that is gone nothing is shown: the new build is brought, unless that would lose work. */
function bringNewBuild(): Promise<never> {
  if (unsavedQuestion.get() === undefined) reloadOnce();
  return new Promise(() => undefined);
}

/** Of a part within a page: rejects where the server is out of reach, and for code that is gone while work is unsaved. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(await isServed())) throw error;
    askForStylesAgain();
  }
  try {
    return await load();
  } catch (error) {
    if (unsavedQuestion.get() !== undefined || !reloadOnce()) throw error;
    return new Promise(() => undefined);
  }
}

export const lazyLate: typeof lazy = (load) => lazy(() => loadLate(load).catch(bringNewBuild));
