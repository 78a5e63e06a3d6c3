"""A web application with Django, in one file: a PDF is uploaded, and the small one streams back.

    pip install django uvicorn
    uvicorn --app-dir examples web_django:application
    curl -F document=@report.pdf -o small.pdf 'http://127.0.0.1:8000/optimize?profile=web'

Under ASGI, Django cancels an asynchronous view when the browser disconnects, and so the upload, the waiting or the
download.
"""

from __future__ import annotations

import functools
import os

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

import recto

if not settings.configured:
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        ROOT_URLCONF=__name__,
        SECRET_KEY=os.environ.get("DJANGO_SECRET_KEY") or os.urandom(32).hex(),
    )
    django.setup()

PROFILES = ("web", "archive", "print", "minimalFileSize")


@functools.cache
def client() -> recto.AsyncClient:
    """The client of this process."""
    return recto.AsyncClient.from_env()


@csrf_exempt  # the example has no pages with forms; an application with a login must keep the check
async def optimize(request: HttpRequest) -> HttpResponseBase:
    """Compress the uploaded PDF."""
    document = request.FILES.get("document")
    profile = request.GET.get("profile", "web")
    if document is None or profile not in PROFILES:
        return HttpResponse("send a PDF as `document`, and a known `profile`", status=400)
    try:
        operation = await client().optimize(document, profile=profile)
        await operation.result()
    except recto.OperationFailed as error:
        return HttpResponse(str(error), status=422, content_type="text/plain")
    except recto.Error as error:
        return HttpResponse(str(error), status=503, content_type="text/plain")
    return StreamingHttpResponse(operation.aiter_bytes(), content_type="application/pdf")


urlpatterns = [path("optimize", optimize)]
application = get_asgi_application()
