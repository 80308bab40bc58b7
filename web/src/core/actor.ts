/** A person, an agent or the server, as the one who did something; `user` is the id that the host application gave. */
export interface Actor {
  id: string;
  name: string;
  user?: string;
  role?: string;
  groups?: readonly string[];
}
