"""A server for the benchmarks: it responds from memory, with one thread for each connection.

python server.py SIZE        prints its port; runs until it is killed
"""

from __future__ import annotations

import json
import socket
import sys
import threading

RECORD = json.dumps(
    {
        "id": "1",
        "createdAt": "2026-01-02T03:04:05.678901Z",
        "origin": "fromLocal",
        "name": "report.pdf",
        "extension": "pdf",
    }
).encode()


def serve(connection: socket.socket, port: int, size: int) -> None:
    """Responds to the requests of one connection."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    base = f"http://127.0.0.1:{port}"
    chunk = b"%PDF-1.7\n".ljust(1 << 20, b"x")
    buffer = bytearray(1 << 20)
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            piece = connection.recv(1 << 16)
            if not piece:
                return
            received += piece
        head, _, received = received.partition(b"\r\n\r\n")
        method, path, _ = head.split(b"\r\n", 1)[0].split(b" ")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        left = length - len(received)
        while left > 0:
            left -= connection.recv_into(buffer, min(left, len(buffer)))
        received = b""
        body = RECORD
        if path.endswith(b"fromLocal"):
            body = json.dumps({"fileId": "1", "uploadUrl": f"{base}/put"}).encode()
        elif path.endswith(b"/result"):
            output = {"fileId": "2", "name": "report.pdf", "url": f"{base}/download"}
            body = json.dumps(
                {"operationType": "optimize", "operationStatus": "finished", "outputFile": output}
            ).encode()
        elif method == b"POST":
            body = b'{"operationId": "1", "operationType": "optimize", "operationStatus": "inProgress"}'
        elif path == b"/put":
            body = b""
        if path == b"/download":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(size >> 20):
                connection.sendall(chunk)
        else:
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(body), body)
            )


def main(size: int) -> None:
    """Accepts connections until the process is killed."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port = listener.getsockname()[1]
        print(port, flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, port, size), daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20)
