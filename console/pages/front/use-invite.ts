import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';
import { readText, writeText } from '../../session/storage.ts';

/** Keeps the invite code of the address for the registration, which may be pages away; returns the known one. */
export function useInvite(): string | undefined {
  const [query] = useSearchParams();
  const given = query.get('aff')?.trim();
  useEffect(() => {
    if (given) writeText('aff', given);
  }, [given]);
  return given || readText('aff');
}
