/* wheelproof_sample: repeat(data: bytes, times: int) -> bytes.
 *
 * All that it needs of the C library is memcpy, of which GLIBC_2.14 is the version on x86_64: the
 * tag manylinux_2_17 is true, and the next older one, manylinux_2_12, would not be. All that it
 * needs of the interpreter is in the stable ABI of CPython 3.8. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>
#include <string.h>

static PyObject *repeat(PyObject *self, PyObject *arguments)
{
    const char *data;
    Py_ssize_t size, times;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "y#n:repeat", &data, &size, &times))
        return NULL;
    if (times < 0 || (size > 0 && times > PY_SSIZE_T_MAX / size)) {
        PyErr_SetString(PyExc_ValueError, "repeat: times is out of range");
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, size * times);
    if (result == NULL)
        return NULL;
    char *to = PyBytes_AsString(result);
    for (Py_ssize_t i = 0; i < times; i++)
        memcpy(to + i * size, data, (size_t)size);
    return result;
}

static PyMethodDef methods[] = {
    {"repeat", repeat, METH_VARARGS, PyDoc_STR("repeat(data, times): the bytes, so many times over")},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "wheelproof_sample", PyDoc_STR("A wheel to try wheelproof on."), 0, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_wheelproof_sample(void)
{
    return PyModuleDef_Init(&module);
}
