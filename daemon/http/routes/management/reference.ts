/** The description of the API, as far as the caller's role reaches (D32). */
import type { Access, FileAnswer } from '../../../contract/endpoint.ts';
import type { Language } from '../../../contract/error-codes.ts';
import { contract } from '../../../contract/index.ts';
import { endpointsOf, openApiOf } from '../../../contract/openapi.ts';
import { roles } from '../../../contract/roles.ts';
import { implement, type Route } from '../../implement.ts';
import { referencePage } from '../../present/reference-page.ts';

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
  const pages = new Map<string, FileAnswer>();
  const pageFor = (role: number, language: Language): FileAnswer => {
    const name = `${role} ${language}`;
    const page = pages.get(name) ?? referencePage(documentFor(role), language);
    pages.set(name, page);
    return page;
  };
  return [
    implement(contract.reference.openapi, ({ actor }) => documentFor(actor?.role ?? 0)),
    implement(contract.reference.page, ({ actor, request }) => pageFor(actor?.role ?? 0, request.language)),
  ];
};
