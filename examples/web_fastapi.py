"""A web application with FastAPI: a PDF is uploaded, and the small one streams back.

    pip install fastapi uvicorn python-multipart
    uvicorn --app-dir examples web_fastapi:app
    curl -F document=@report.pdf -o small.pdf 'http://127.0.0.1:8000/optimize?profile=web'

If the browser disconnects, the task is cancelled, and with it the upload, the waiting or the download.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from typing import Annotated, Literal, TypeVar

from fastapi import FastAPI, HTTPException, Request, UploadFile
from fastapi.responses import Response, StreamingResponse

import recto

Value = TypeVar("Value")


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """One client serves all requests: it is ready before the first one and closed after the last one."""
    async with recto.AsyncClient.from_env() as client:
        app.state.client = client
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/optimize")
async def optimize(
    request: Request,
    document: Annotated[UploadFile, "the PDF"],
    profile: Literal["web", "archive", "print", "minimalFileSize"] = "web",
) -> Response:
    """Compress the uploaded PDF."""
    client: recto.AsyncClient = request.app.state.client
    try:
        operation = await unless_gone(request, client.optimize(document, profile=profile))
        await unless_gone(request, operation.result())
    except ConnectionAbortedError:
        return Response(status_code=499)  # nobody reads this response
    except recto.OperationFailed as error:
        raise HTTPException(422, str(error)) from error
    except recto.Error as error:
        raise HTTPException(503, str(error)) from error
    return StreamingResponse(operation.aiter_bytes(), media_type="application/pdf")


async def unless_gone(request: Request, work: Awaitable[Value]) -> Value:
    """Wait for the work; cancel it when the client of the request disconnects."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ConnectionAbortedError
        return task.result()
    finally:
        for pending in (task, gone):
            pending.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def disconnected(request: Request) -> None:
    """Wait until the client disconnects. The body of the request was already read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
