/** The description of the API, as far as the caller's role reaches (D32). */
import type { Access } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import { endpointsOf, openApiOf } from '../../../contract/openapi.ts';
import { roles } from '../../../domain/actor.ts';
import { implement, type Route } from '../../implement.ts';

const lowestRole: Readonly<Record<Access, number>> = {
  public: 0,
  optional: 0,
  key: 0,
  'key-read': 0,
  user: roles.user,
  admin: roles.admin,
  root: roles.root,
};

export const referenceRoutes = (version: string): Route[] => {
  // The document of a role never changes while the process runs, and takes a while to make.
  const documents = new Map<number, Record<string, unknown>>();
  const documentFor = (role: number): Record<string, unknown> => {
    const known = documents.get(role);
    if (known) return known;
    const visible = endpointsOf(contract).filter(({ endpoint }) => lowestRole[endpoint.access] <= role);
    const document = openApiOf(visible, version);
    documents.set(role, document);
    return document;
  };
  return [implement(contract.reference.openapi, ({ actor }) => documentFor(actor?.role ?? 0))];
};
