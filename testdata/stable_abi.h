/* The few declarations of CPython's stable ABI (PEP 384) that a module needs, so that fixtures
 * can be built where no Python headers are. The layout is that of PyModuleDef in every CPython
 * from 3.5 on that is not free-threaded. */
#ifdef __cplusplus
extern "C" {
#endif
typedef struct object PyObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef struct {
    const char *name;
    PyCFunction function;
    int flags;
    const char *doc;
} PyMethodDef;
typedef struct {
    long refcount;
    void *type, *init;
    long index;
    void *copy;
    const char *name, *doc;
    long size;
    PyMethodDef *methods;
    void *slots, *traverse, *clear, *free;
} PyModuleDef;
enum { METH_NOARGS = 4 };
PyObject *PyModuleDef_Init(PyModuleDef *);
PyObject *PyLong_FromLong(long);
#ifdef __cplusplus
}
#endif

/* Defines an importable module _core with one function answer(), which returns VALUE. */
#define MODULE(VALUE)                                                                       \
    static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(VALUE); } \
    static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, 0}, {0, 0, 0, 0}};      \
    static PyModuleDef module = {1, 0, 0, 0, 0, "_core", 0, 0, methods, 0, 0, 0, 0};        \
    __attribute__((visibility("default"))) PyObject *PyInit__core(void)                    \
    {                                                                                       \
        return PyModuleDef_Init(&module);                                                   \
    }
