/** `contract`: every endpoint of the management API, by resource. Router, client, OpenAPI file and tests derive from it. */
import { account } from './account.ts';
import { pageContent } from './page-content.ts';
import { reference } from './reference.ts';
import { setup } from './setup.ts';
import { status } from './status.ts';
import { users } from './users.ts';

export const contract = {
  account,
  pageContent,
  reference,
  setup,
  status,
  users,
};

export type Contract = typeof contract;
