// Makes the mock server listen only on 127.0.0.1.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest);
};
