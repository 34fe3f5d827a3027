/** Where the question for a fresh proof appears; mounted once around the pages. */
import { Suspense, useEffect } from 'react';
import { dismissProof, pendingProof } from '../api/proof.ts';
import { lazyLate } from '../session/late-code.ts';
import { useStore } from '../session/store.ts';

const ProofDialog = lazyLate(() => import('./proof-dialog.tsx').then((module) => ({ default: module.ProofDialog })));

export function ProofHost() {
  useEffect(() => dismissProof, []);
  const proof = useStore(pendingProof);
  return <Suspense fallback={null}>{proof && <ProofDialog proof={proof} />}</Suspense>;
}
