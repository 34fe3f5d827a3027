/** Routes about the site itself. */
import { contract } from '../../../contract/index.ts';
import type { OptionsView } from '../../../contract/options.ts';
import { implement, type Route } from '../../implement.ts';
import { presentStatus, type SiteFacts } from '../../present/status.ts';

export interface StatusDeps {
  readonly site: SiteFacts;
  readonly options: () => OptionsView;
  readonly setupDone: () => boolean;
  /** Rejects with `db_unavailable`; asks the database at most once in 10 s. */
  readonly pingDatabase: () => Promise<void>;
}

export const statusRoutes = ({ site, options, setupDone, pingDatabase }: StatusDeps): Route[] => [
  implement(contract.status.get, () => presentStatus(site, options(), setupDone())),
  implement(contract.status.test, () => pingDatabase()),
  implement(contract.status.hello, () => null),
  implement(contract.pageContent.notice, () => options().get('Notice')),
  implement(contract.pageContent.about, () => options().get('About')),
  implement(contract.pageContent.home, () => options().get('HomePageContent')),
];
