/** Writing mail, as the domain sees it. What is sent is decided here; how it travels is an integration's business. */

/** One message to one recipient. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Values in it are escaped already. */
  readonly html: string;
}

export interface Mailer {
  /** Hands a message to the mail server. Throws `mail_failed`, also while no server is configured. */
  send(mail: Mail): Promise<void>;
}
