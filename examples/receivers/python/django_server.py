import os, secrets, sys
import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from desk import receiver


@csrf_exempt  # The signature is the proof of origin.
@require_POST
def hooks(request):
    # body, not POST: the signature covers the bytes as they came.
    status, answer = receiver.receive(request.path, request.headers, request.body)
    return HttpResponse(answer, "application/json", status)


# In a project of yours, this line goes to urls.py, and the rest of the file is there already.
urlpatterns = [re_path(r"^hooks(?:/.*)?$", hooks)]

if __name__ == "__main__":
    # Django refuses bodies above 2.5 MB; a transcript can be longer.
    settings.configure(
        ROOT_URLCONF=__name__,
        SECRET_KEY=secrets.token_hex(),
        ALLOWED_HOSTS=["127.0.0.1"],
        DATA_UPLOAD_MAX_MEMORY_SIZE=4 * 1024 * 1024,
    )
    django.setup()
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", os.environ.get("PORT", "3000")])
